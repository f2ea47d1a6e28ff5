// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../../src/Stablecoin.sol";
import {MessageTransmitterV2} from "../../src/bridge/MessageTransmitterV2.sol";
import {TokenMessengerV2} from "../../src/bridge/TokenMessengerV2.sol";
import {TokenMinterV2} from "../../src/bridge/TokenMinterV2.sol";
import {StablecoinFixture} from "./StablecoinFixture.sol";
import {Vm, vm} from "./Vm.sol";

/// Two domains of the bridge side by side, each with a token of its own, and attesters of whom two of three must sign.
/// Messages are put together here by the offsets that the real contracts document, not by the library under test.
abstract contract BridgeFixture is StablecoinFixture {
    struct Side {
        uint32 domain;
        Stablecoin token;
        MessageTransmitterV2 transmitter;
        TokenMinterV2 minter;
        TokenMessengerV2 messenger;
    }

    /// What the attesters fill in.
    struct Finding {
        bytes32 nonce;
        uint32 finality;
        uint256 fee;
        uint256 expirationBlock;
    }

    uint32 internal constant BASE = 6;
    uint32 internal constant ARC = 26;
    uint32 internal constant FAST = 1000;
    uint32 internal constant STANDARD = 2000;
    uint256 internal constant BURN_LIMIT = 10_000_000e6;
    uint256 internal constant MINT_ALLOWANCE = type(uint128).max;
    uint256 internal constant FIRST_ATTESTER = 0xa77e1;
    uint256 internal constant SECOND_ATTESTER = 0xa77e2;
    uint256 internal constant THIRD_ATTESTER = 0xa77e3;
    address internal constant FEES = address(0xfee5);

    uint256 private constant NONCE = 12;
    uint256 private constant FINALITY_EXECUTED = 144;
    uint256 private constant FEE_EXECUTED = 148 + 164;
    uint256 private constant EXPIRATION_BLOCK = 148 + 196;

    Side internal base;
    Side internal arc;

    function setUp() public virtual override {
        super.setUp();
        base = deploySide(BASE);
        arc = deploySide(ARC);
        link(base, arc);
        link(arc, base);
    }

    function deploySide(uint32 domain) internal returns (Side memory side) {
        address[] memory attesters = new address[](3);
        attesters[0] = vm.addr(FIRST_ATTESTER);
        attesters[1] = vm.addr(SECOND_ATTESTER);
        attesters[2] = vm.addr(THIRD_ATTESTER);
        side.domain = domain;
        side.token = new Stablecoin("USDC", "USDC", "USD", ADMINISTRATOR);
        side.transmitter = new MessageTransmitterV2(domain, 1, ADMINISTRATOR, attesters, 2, 8192);
        side.minter = new TokenMinterV2(ADMINISTRATOR);
        side.messenger = new TokenMessengerV2(side.transmitter, 1, ADMINISTRATOR, FEES);
        vm.prank(ADMINISTRATOR);
        side.messenger.addLocalMinter(address(side.minter));
        vm.prank(ADMINISTRATOR);
        side.minter.addLocalTokenMessenger(address(side.messenger));
        vm.prank(ADMINISTRATOR);
        side.minter.setMaxBurnAmountPerMessage(address(side.token), BURN_LIMIT);
        vm.prank(ADMINISTRATOR);
        side.token.configureMinter(address(side.minter), MINT_ALLOWANCE);
        vm.prank(ADMINISTRATOR);
        side.token.configureMinter(MINTER, type(uint128).max);
    }

    /// Has `side` take messages of `remote`.
    function link(Side memory side, Side memory remote) internal {
        vm.prank(ADMINISTRATOR);
        side.messenger.addRemoteTokenMessenger(remote.domain, padded(address(remote.messenger)));
        vm.prank(ADMINISTRATOR);
        side.minter.linkTokenPair(address(side.token), remote.domain, padded(address(remote.token)));
    }

    function fundOn(Side memory side, address account, uint256 amount) internal {
        vm.prank(MINTER);
        side.token.mint(account, amount);
        vm.prank(account);
        side.token.approve(address(side.messenger), type(uint256).max);
    }

    /// Burns the money of `account` on `side` for CAROL on `remote`, and answers the message as it was sent.
    function burnOn(Side memory side, Side memory remote, address account, uint256 amount, uint256 maxFee)
        internal
        returns (bytes memory)
    {
        vm.recordLogs();
        vm.prank(account);
        side.messenger
            .depositForBurn(
                amount, remote.domain, padded(CAROL), address(side.token), 0, maxFee, maxFee == 0 ? STANDARD : FAST
            );
        return lastMessage();
    }

    function lastMessage() internal returns (bytes memory message) {
        return abi.decode(lastLog("MessageSent(bytes)"), (bytes));
    }

    function lastLog(string memory signature) internal returns (bytes memory data) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 index = logs.length; index > 0; index--) {
            if (logs[index - 1].topics[0] == keccak256(bytes(signature))) return logs[index - 1].data;
        }
        revert(signature);
    }

    function finalized(bytes32 nonce) internal pure returns (Finding memory) {
        return Finding(nonce, STANDARD, 0, 0);
    }

    function fast(bytes32 nonce, uint256 fee, uint256 expirationBlock) internal pure returns (Finding memory) {
        return Finding(nonce, FAST, fee, expirationBlock);
    }

    function complete(bytes memory sent, Finding memory finding) internal pure returns (bytes memory message) {
        message = bytes.concat(sent);
        put(message, NONCE, bytes.concat(finding.nonce));
        put(message, FINALITY_EXECUTED, bytes.concat(bytes4(finding.finality)));
        put(message, FEE_EXECUTED, abi.encode(finding.fee));
        put(message, EXPIRATION_BLOCK, abi.encode(finding.expirationBlock));
    }

    function put(bytes memory message, uint256 offset, bytes memory field) internal pure {
        for (uint256 index = 0; index < field.length; index++) {
            message[offset + index] = field[index];
        }
    }

    function attest(bytes memory message) internal pure returns (bytes memory) {
        return attestBy(message, FIRST_ATTESTER, SECOND_ATTESTER);
    }

    /// In the order of the attesters' addresses.
    function attestBy(bytes memory message, uint256 one, uint256 other) internal pure returns (bytes memory) {
        (uint256 lower, uint256 higher) = vm.addr(one) < vm.addr(other) ? (one, other) : (other, one);
        return bytes.concat(signatureOver(message, lower), signatureOver(message, higher));
    }

    function signatureOver(bytes memory message, uint256 key) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(message));
        return abi.encodePacked(r, s, v);
    }

    function deliver(Side memory side, bytes memory message) internal {
        side.transmitter.receiveMessage(message, attest(message));
    }

    function padded(address account) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
