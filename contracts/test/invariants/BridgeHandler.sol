// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeFixture} from "../support/BridgeFixture.sol";
import {vm} from "../support/Vm.sol";

/// Transfers in both directions, standard and fast, delivered in any order, while others forge, alter and replay.
contract BridgeHandler is BridgeFixture {
    struct Flight {
        bool isFromBase;
        uint256 amount;
        uint256 maxFee;
        bytes sent;
    }

    uint256 private constant LARGEST_AMOUNT = 1_000_000e6;
    uint256 private constant BLOCKS_UNTIL_EXPIRY = 20;

    uint256 public issued;
    uint256 public burned;
    uint256 public minted;
    uint256 public fees;
    uint256 public deliveries;
    uint256 public mintedWithoutAttestation;
    uint256 public mintedTwice;
    uint256 public mintedLate;
    uint256 public movedInPause;
    /// By token: issued and minted, fees included, less what was burned.
    mapping(uint32 domain => uint256) private expectedSupply;
    uint256 private nextNonce = 1;
    Flight[] private inFlight;
    bytes[] private delivered;
    bool[] private deliveredFromBase;

    constructor() {
        setUp();
    }

    function burn(uint256 amount, uint256 maxFee, bool isFromBase) public {
        Side memory side = isFromBase ? base : arc;
        Side memory remote = isFromBase ? arc : base;
        amount = 2 + amount % LARGEST_AMOUNT;
        maxFee = maxFee % amount;
        fundOn(side, ALICE, amount);
        issued += amount;
        expectedSupply[side.domain] += amount;
        inFlight.push(Flight(isFromBase, amount, maxFee, burnOn(side, remote, ALICE, amount, maxFee)));
        burned += amount;
        expectedSupply[side.domain] -= amount;
    }

    /// The other way, with money that came over the bridge.
    function sendBack(uint256 amount, bool isFromBase) external {
        Side memory side = isFromBase ? base : arc;
        uint256 balance = side.token.balanceOf(CAROL);
        vm.assume(balance > 0);
        amount = 1 + amount % (balance < BURN_LIMIT ? balance : BURN_LIMIT);
        fundOn(side, CAROL, 1);
        issued += 1;
        inFlight.push(Flight(isFromBase, amount, 0, burnOn(side, isFromBase ? arc : base, CAROL, amount, 0)));
        burned += amount;
        expectedSupply[side.domain] = expectedSupply[side.domain] + 1 - amount;
    }

    function deliverFinalized(uint256 seed) external {
        Flight memory flight = take(seed);
        land(flight, complete(flight.sent, finalized(bytes32(nextNonce++))), 0);
    }

    function deliverFast(uint256 seed, uint256 fee) external {
        Flight memory flight = take(seed);
        fee = fee % (flight.maxFee + 1);
        land(flight, complete(flight.sent, fast(bytes32(nextNonce++), fee, block.number + BLOCKS_UNTIL_EXPIRY)), fee);
    }

    /// The same burn, attested anew under its nonce after its fast message expired.
    function deliverAfterExpiry(uint256 seed, uint256 fee) external {
        Flight memory flight = take(seed);
        bytes32 nonce = bytes32(nextNonce++);
        uint256 expiry = block.number + BLOCKS_UNTIL_EXPIRY;
        bytes memory expired = complete(flight.sent, fast(nonce, fee % (flight.maxFee + 1), expiry));
        vm.roll(expiry);
        if (isTaken(flight.isFromBase, expired, attest(expired))) mintedLate++;
        land(flight, complete(flight.sent, finalized(nonce)), 0);
    }

    /// A pause of either contract keeps the money in flight, and the same message is taken when it ends.
    function deliverAfterPause(uint256 seed, bool isOfMinter) external {
        Flight memory flight = take(seed);
        Side memory side = flight.isFromBase ? arc : base;
        bytes memory message = complete(flight.sent, finalized(bytes32(nextNonce++)));
        vm.prank(ADMINISTRATOR);
        if (isOfMinter) side.minter.pause();
        else side.transmitter.pause();
        bool moved = isTaken(flight.isFromBase, message, attest(message));
        vm.prank(ADMINISTRATOR);
        if (isOfMinter) side.minter.unpause();
        else side.transmitter.unpause();
        // Delivered once more it would revert, and the count with it.
        if (moved) movedInPause++;
        else land(flight, message, 0);
    }

    function attemptReplay(uint256 seed) external {
        vm.assume(delivered.length > 0);
        uint256 index = seed % delivered.length;
        bytes memory message = delivered[index];
        if (isTaken(deliveredFromBase[index], message, attest(message))) mintedTwice++;
    }

    /// The other domain has not seen the nonce, and must not take the message either.
    function attemptOtherDomain(uint256 seed) external {
        vm.assume(delivered.length > 0);
        uint256 index = seed % delivered.length;
        bytes memory message = delivered[index];
        if (isTaken(!deliveredFromBase[index], message, attest(message))) mintedTwice++;
    }

    function attemptForgery(uint256 seed, uint256 amount, uint8 kind) external {
        vm.assume(inFlight.length > 0);
        Flight memory flight = inFlight[seed % inFlight.length];
        bytes memory message = complete(flight.sent, finalized(keccak256(abi.encode(nextNonce++))));
        bytes memory attestation = attest(message);
        uint256 which = kind % 5;
        if (which == 0) attestation = "";
        if (which == 1) attestation = signatureOver(message, FIRST_ATTESTER);
        if (which == 2) attestation = attestBy(message, FIRST_ATTESTER, BOB_KEY);
        if (which == 3) put(message, 148 + 68, abi.encode(flight.amount + 1 + amount % LARGEST_AMOUNT));
        if (which == 4) put(message, 148 + 36, abi.encode(STRANGER));
        if (isTaken(flight.isFromBase, message, attestation)) mintedWithoutAttestation++;
    }

    function attemptMint(uint256 amount, bool isOnBase) external {
        Side memory side = isOnBase ? base : arc;
        Side memory remote = isOnBase ? arc : base;
        (bool success,) = address(side.minter)
            .call(
                abi.encodeWithSignature(
                    "mint(uint32,bytes32,address,uint256)",
                    remote.domain,
                    padded(address(remote.token)),
                    STRANGER,
                    1 + amount % LARGEST_AMOUNT
                )
            );
        if (success) mintedWithoutAttestation++;
    }

    function amountInFlight() external view returns (uint256 amount) {
        for (uint256 index = 0; index < inFlight.length; index++) {
            amount += inFlight[index].amount;
        }
    }

    function supply() external view returns (uint256) {
        return base.token.totalSupply() + arc.token.totalSupply();
    }

    function suppliesAreExpected() external view returns (bool) {
        return base.token.totalSupply() == expectedSupply[BASE] && arc.token.totalSupply() == expectedSupply[ARC];
    }

    function collectedFees() external view returns (uint256) {
        return base.token.balanceOf(FEES) + arc.token.balanceOf(FEES);
    }

    function heldByContracts() external view returns (uint256 held) {
        held += base.token.balanceOf(address(base.minter)) + base.token.balanceOf(address(base.messenger));
        held += arc.token.balanceOf(address(arc.minter)) + arc.token.balanceOf(address(arc.messenger));
    }

    /// Each delivery used one nonce, on one side.
    function usedNonces() external view returns (uint256 number) {
        for (uint256 nonce = 1; nonce < nextNonce; nonce++) {
            number += base.transmitter.usedNonces(bytes32(nonce)) + arc.transmitter.usedNonces(bytes32(nonce));
        }
    }

    function take(uint256 seed) private returns (Flight memory flight) {
        if (inFlight.length == 0) burn(seed, seed / 2, seed % 2 == 0);
        uint256 index = seed % inFlight.length;
        flight = inFlight[index];
        inFlight[index] = inFlight[inFlight.length - 1];
        inFlight.pop();
    }

    function land(Flight memory flight, bytes memory message, uint256 fee) private {
        deliver(flight.isFromBase ? arc : base, message);
        expectedSupply[flight.isFromBase ? ARC : BASE] += flight.amount;
        minted += flight.amount - fee;
        fees += fee;
        deliveries++;
        delivered.push(message);
        deliveredFromBase.push(flight.isFromBase);
    }

    function isTaken(bool isFromBase, bytes memory message, bytes memory attestation) private returns (bool success) {
        (success,) = address(isFromBase ? arc.transmitter : base.transmitter)
            .call(abi.encodeCall(arc.transmitter.receiveMessage, (message, attestation)));
    }
}
