// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GatewayFixture} from "../support/GatewayFixture.sol";
import {vm} from "../support/Vm.sol";

/// Deposits, withdrawals and transfers in both directions, minted first and burned later, while others forge and replay.
contract GatewayHandler is GatewayFixture {
    struct Flight {
        bool isFromBase;
        Spec spec;
        uint256 maxFee;
    }

    uint256 private constant LARGEST_AMOUNT = 1_000_000e6;
    uint256 private constant MOST_FEE = 10e6;

    uint256 public issued;
    uint256 public minted;
    uint256 public burned;
    uint256 public fees;
    uint256 public transfersMinted;
    uint256 public transfersBurned;
    uint256 public mintedWithoutAttestation;
    uint256 public burnedWithoutSignature;
    uint256 public doneTwice;
    uint256 public withdrawnEarly;
    uint256 public trapped;
    uint256 public movedInPause;
    uint256 private nextSalt = 1;
    Flight[] private minting;
    Flight[] private done;

    constructor() {
        setUp();
    }

    function deposit(uint256 amount, bool isOnBase) public {
        Side memory side = isOnBase ? base : arc;
        amount = 1 + amount % LARGEST_AMOUNT;
        depositOn(side, ALICE, amount);
        issued += amount;
    }

    function mint(uint256 amount, uint256 maxFee, bool isFromBase) public {
        Side memory side = isFromBase ? base : arc;
        Side memory remote = isFromBase ? arc : base;
        amount = 1 + amount % LARGEST_AMOUNT;
        maxFee = maxFee % MOST_FEE;
        // The operator attests what is there, and not promised to another transfer.
        deposit(amount + maxFee - 1, isFromBase);
        if (amount + maxFee > LARGEST_AMOUNT) deposit(maxFee, isFromBase);
        Flight memory flight = Flight(isFromBase, specFor(side, remote, amount, bytes32(nextSalt++)), maxFee);
        mintOn(remote, flight.spec);
        minted += amount;
        transfersMinted++;
        minting.push(flight);
    }

    function burn(uint256 seed, uint256 fee) public {
        if (minting.length == 0) mint(seed, fee, seed % 2 == 0);
        uint256 index = seed % minting.length;
        Flight memory flight = minting[index];
        minting[index] = minting[minting.length - 1];
        minting.pop();
        fee = fee % (flight.maxFee + 1);
        burnOn(flight.isFromBase ? base : arc, flight.spec, flight.maxFee, fee);
        burned += flight.spec.value;
        fees += fee;
        transfersBurned++;
        done.push(flight);
    }

    /// As much as no transfer has been promised.
    function initiateWithdrawal(uint256 amount, bool isOnBase) external {
        Side memory side = isOnBase ? base : arc;
        deposit(amount, isOnBase);
        uint256 most = side.wallet.availableBalance(address(side.token), ALICE);
        vm.prank(ALICE);
        side.wallet.initiateWithdrawal(address(side.token), 1 + amount % most);
    }

    function withdraw(uint256 blocks, bool isOnBase) public {
        Side memory side = isOnBase ? base : arc;
        address token = address(side.token);
        // The operator burns within the delay: nothing that it attested leaves.
        while (minting.length > 0) burn(0, 0);
        uint256 withdrawing = side.wallet.withdrawingBalance(token, ALICE);
        bool isDue = side.wallet.withdrawalBlock(token, ALICE) <= block.number;
        vm.prank(ALICE);
        (bool success,) = address(side.wallet).call(abi.encodeCall(side.wallet.withdraw, (token)));
        if (success && (!isDue || withdrawing == 0)) withdrawnEarly++;
        if (!success && isDue && withdrawing > 0) trapped++;
        vm.roll(block.number + blocks % DELAY);
    }

    /// A pause stops deposits, mints and burns, and keeps nobody's money.
    function withdrawInPause(uint256 amount, uint256 blocks, bool isOnBase) external {
        Side memory side = isOnBase ? base : arc;
        // Nothing that was attested waits for the end of the pause.
        while (minting.length > 0) burn(0, 0);
        deposit(amount, isOnBase);
        Flight memory flight = Flight(isOnBase, specFor(side, isOnBase ? arc : base, 1, bytes32(nextSalt++)), 0);
        vm.prank(ADMINISTRATOR);
        side.wallet.pause();
        if (isBurned(flight, ALICE_KEY, OPERATOR_KEY)) movedInPause++;
        uint256 available = side.wallet.availableBalance(address(side.token), ALICE);
        vm.prank(ALICE);
        side.wallet.initiateWithdrawal(address(side.token), available);
        withdraw(blocks, isOnBase);
        vm.roll(block.number + DELAY);
        withdraw(blocks, isOnBase);
        if (side.wallet.totalBalance(address(side.token), ALICE) > 0) trapped++;
        vm.prank(ADMINISTRATOR);
        side.wallet.unpause();
    }

    function attemptReplay(uint256 seed) external {
        vm.assume(done.length > 0);
        Flight memory flight = done[seed % done.length];
        deposit(flight.spec.value, flight.isFromBase);
        if (isMinted(flight, OPERATOR_KEY) || isBurned(flight, ALICE_KEY, OPERATOR_KEY)) doneTwice++;
        flight.maxFee++;
        if (isBurned(flight, ALICE_KEY, OPERATOR_KEY)) doneTwice++;
    }

    function attemptForgery(uint256 amount, bool isFromBase, uint8 kind) external {
        Side memory side = isFromBase ? base : arc;
        Side memory remote = isFromBase ? arc : base;
        amount = 1 + amount % LARGEST_AMOUNT;
        deposit(amount, isFromBase);
        Flight memory flight = Flight(isFromBase, specFor(side, remote, amount, bytes32(nextSalt++)), 0);
        uint256 which = kind % 4;
        if (which == 0 && isMinted(flight, BOB_KEY)) mintedWithoutAttestation++;
        if (which == 1 && isBurned(flight, ALICE_KEY, BOB_KEY)) burnedWithoutSignature++;
        if (which == 2 && isBurned(flight, BOB_KEY, OPERATOR_KEY)) burnedWithoutSignature++;
        flight.spec.sourceSigner = padded(BOB);
        if (which == 3 && isBurned(flight, BOB_KEY, OPERATOR_KEY)) burnedWithoutSignature++;
    }

    function amountInFlight() external view returns (uint256 amount) {
        for (uint256 index = 0; index < minting.length; index++) {
            amount += minting[index].spec.value;
        }
    }

    function supply() external view returns (uint256) {
        return base.token.totalSupply() + arc.token.totalSupply();
    }

    function collectedFees() external view returns (uint256) {
        return base.token.balanceOf(FEES) + arc.token.balanceOf(FEES);
    }

    function walletsHoldTheirBalances() external view returns (bool) {
        return base.token.balanceOf(address(base.wallet)) == base.wallet.totalBalance(address(base.token), ALICE)
            && arc.token.balanceOf(address(arc.wallet)) == arc.wallet.totalBalance(address(arc.token), ALICE);
    }

    function isMinted(Flight memory flight, uint256 operatorKey) private returns (bool success) {
        bytes memory attestation = encodeAttestation(FOREVER, flight.spec);
        (success,) = address(flight.isFromBase ? arc.minter : base.minter)
            .call(abi.encodeCall(arc.minter.gatewayMint, (attestation, signMessage(operatorKey, attestation))));
    }

    function isBurned(Flight memory flight, uint256 signerKey, uint256 operatorKey) private returns (bool success) {
        bytes memory calldataBytes = packBurn(
            encodeIntent(FOREVER, flight.maxFee, flight.spec),
            signIntent(signerKey, FOREVER, flight.maxFee, flight.spec),
            0
        );
        (success,) = address(flight.isFromBase ? base.wallet : arc.wallet)
            .call(abi.encodeCall(arc.wallet.gatewayBurn, (calldataBytes, signMessage(operatorKey, calldataBytes))));
    }
}
