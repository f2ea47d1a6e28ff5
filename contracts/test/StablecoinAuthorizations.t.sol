// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../src/Stablecoin.sol";
import {StablecoinFixture} from "./support/StablecoinFixture.sol";
import {vm} from "./support/Vm.sol";

contract StablecoinAuthorizationsTest is StablecoinFixture {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    bytes private constant USED = "FiatTokenV2: authorization is used or canceled";
    bytes private constant BAD_SIGNATURE = "FiatTokenV2: invalid signature";
    uint256 private constant CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function setUp() public override {
        super.setUp();
        mintTo(ALICE, 1_000);
        mintTo(address(wallet), 1_000);
    }

    function testFuzz_transfersOnce(uint16 value, bytes32 nonce, address relayer) public {
        Authorization memory given = authorization(ALICE, BOB, uint256(value) % 1_001, nonce);
        bytes memory signature = packed(ALICE_KEY, transferHash(given));
        vm.assertFalse(token.authorizationState(ALICE, nonce), "unused");
        vm.expectEmit(address(token));
        emit AuthorizationUsed(ALICE, nonce);
        vm.expectEmit(address(token));
        emit Transfer(ALICE, BOB, given.value);
        vm.prank(relayer);
        submitTransfer(given, signature);
        vm.assertEq(token.balanceOf(BOB), given.value, "payee");
        vm.assertTrue(token.authorizationState(ALICE, nonce), "used");
        vm.expectRevert(USED);
        submitTransfer(given, signature);
    }

    function test_takesBothFormsOfASignature() public {
        Authorization memory a = authorization(ALICE, BOB, 3, "split");
        (uint8 v, bytes32 r, bytes32 s) = signStruct(ALICE_KEY, transferHash(a));
        token.transferWithAuthorization(a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, v, r, s);
        a.nonce = "packed";
        submitTransfer(a, packed(ALICE_KEY, transferHash(a)));
        a.nonce = "received split";
        (v, r, s) = signStruct(ALICE_KEY, receiveHash(a));
        vm.prank(BOB);
        token.receiveWithAuthorization(a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, v, r, s);
        a.nonce = "received packed";
        bytes memory signature = packed(ALICE_KEY, receiveHash(a));
        vm.prank(BOB);
        submitReceive(a, signature);
        vm.assertEq(token.balanceOf(BOB), 12, "four times three");
    }

    /// Every field is under the signature: whichever is changed, the money stays.
    function testFuzz_aChangedFieldIsRefused(uint8 field, uint256 change) public {
        Authorization memory a = authorization(ALICE, BOB, 10, "n");
        bytes memory signature = packed(ALICE_KEY, transferHash(a));
        uint256 which = field % 6;
        if (which == 0) a.from = address(wallet);
        if (which == 1) a.to = CAROL;
        if (which == 2) a.value = change % 10;
        if (which == 3) a.validAfter = change % (NOW - 1);
        if (which == 4) a.validBefore = NOW + 1 hours + 1 + (change % 1e9);
        if (which == 5) a.nonce = keccak256(abi.encode(change));
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, signature);
    }

    function test_anotherKeyTokenOrChainIsRefused() public {
        Authorization memory a = authorization(ALICE, BOB, 10, "n");
        bytes memory signature = packed(BOB_KEY, transferHash(a));
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, signature);
        signature = packed(ALICE_KEY, transferHash(a));
        Stablecoin other = new Stablecoin("USDC", "USDC", "USD", ADMINISTRATOR);
        vm.expectRevert(BAD_SIGNATURE);
        other.transferWithAuthorization(a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature);
        vm.chainId(block.chainid + 1);
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, signature);
    }

    function test_oneKindOfAuthorizationIsNotAnother() public {
        Authorization memory a = authorization(ALICE, BOB, 10, "n");
        bytes memory forTransfer = packed(ALICE_KEY, transferHash(a));
        bytes memory forReceive = packed(ALICE_KEY, receiveHash(a));
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, forReceive);
        vm.prank(BOB);
        vm.expectRevert(BAD_SIGNATURE);
        submitReceive(a, forTransfer);
        vm.expectRevert(BAD_SIGNATURE);
        token.cancelAuthorization(ALICE, "n", forTransfer);
    }

    /// Both bounds are exclusive, as in the real token.
    function test_isValidStrictlyBetweenItsTimes() public {
        Authorization memory a = Authorization(ALICE, BOB, 1, NOW, NOW + 10, "n");
        bytes memory signature = packed(ALICE_KEY, transferHash(a));
        vm.expectRevert("FiatTokenV2: authorization is not yet valid");
        submitTransfer(a, signature);
        vm.warp(NOW + 10);
        vm.expectRevert("FiatTokenV2: authorization is expired");
        submitTransfer(a, signature);
        vm.warp(NOW + 9);
        submitTransfer(a, signature);
        vm.assertEq(token.balanceOf(BOB), 1, "in the last second");
    }

    function test_onlyThePayeeReceives() public {
        Authorization memory a = authorization(ALICE, BOB, 10, "n");
        bytes memory signature = packed(ALICE_KEY, receiveHash(a));
        vm.prank(STRANGER);
        vm.expectRevert("FiatTokenV2: caller must be the payee");
        submitReceive(a, signature);
        vm.prank(BOB);
        submitReceive(a, signature);
        vm.prank(BOB);
        vm.expectRevert(USED);
        submitReceive(a, signature);
    }

    function test_aRefusedTransferLeavesTheAuthorizationUnused() public {
        Authorization memory a = authorization(ALICE, BOB, 1_001, "n");
        bytes memory signature = packed(ALICE_KEY, transferHash(a));
        vm.expectRevert("ERC20: transfer amount exceeds balance");
        submitTransfer(a, signature);
        vm.assertFalse(token.authorizationState(ALICE, "n"), "unused");
        mintTo(ALICE, 1);
        submitTransfer(a, signature);
        vm.assertEq(token.balanceOf(BOB), 1_001, "once it is covered");

        a = authorization(ALICE, address(0), 1, "zero");
        signature = packed(ALICE_KEY, transferHash(a));
        vm.expectRevert("ERC20: transfer to the zero address");
        submitTransfer(a, signature);
    }

    function test_cancels() public {
        Authorization memory a = authorization(ALICE, BOB, 10, "n");
        bytes memory forTransfer = packed(ALICE_KEY, transferHash(a));
        bytes memory forCancel = packed(ALICE_KEY, cancelHash(ALICE, "n"));
        bytes memory byBob = packed(BOB_KEY, cancelHash(ALICE, "n"));
        vm.expectRevert(BAD_SIGNATURE);
        token.cancelAuthorization(ALICE, "n", byBob);
        vm.expectEmit(address(token));
        emit AuthorizationCanceled(ALICE, "n");
        token.cancelAuthorization(ALICE, "n", forCancel);
        vm.expectRevert(USED);
        submitTransfer(a, forTransfer);
        vm.expectRevert(USED);
        token.cancelAuthorization(ALICE, "n", forCancel);
        (uint8 v, bytes32 r, bytes32 s) = signStruct(ALICE_KEY, cancelHash(ALICE, "m"));
        token.cancelAuthorization(ALICE, "m", v, r, s);
        vm.assertTrue(token.authorizationState(ALICE, "m"), "by v, r, s");
    }

    /// The same signature in its other form must not count as a second one, nor as one at all.
    function testFuzz_refusesSignaturesThatAreNone(bytes calldata noise) public {
        Authorization memory a = authorization(ALICE, BOB, 10, "n");
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, noise);
        (uint8 v, bytes32 r, bytes32 s) = signStruct(ALICE_KEY, transferHash(a));
        bytes memory malleated = abi.encodePacked(r, bytes32(CURVE_ORDER - uint256(s)), v == 27 ? 28 : 27);
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, malleated);
        vm.expectRevert(BAD_SIGNATURE);
        token.transferWithAuthorization(a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, v - 27, r, s);
    }

    /// ecrecover answers 0 for a signature that is none: the zero address must not be anybody's signature.
    function test_theZeroAddressSignsNothing() public {
        Authorization memory a = authorization(address(0), BOB, 0, "n");
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, new bytes(65));
    }

    function test_aWalletWithCodePaysReceivesAndCancels() public {
        Authorization memory a = authorization(address(wallet), BOB, 40, "w");
        submitTransfer(a, packed(KEEPER_KEY, transferHash(a)));
        a.nonce = "w2";
        bytes memory signature = packed(KEEPER_KEY, receiveHash(a));
        vm.prank(BOB);
        submitReceive(a, signature);
        token.cancelAuthorization(address(wallet), "w3", packed(KEEPER_KEY, cancelHash(address(wallet), "w3")));
        vm.assertTrue(token.authorizationState(address(wallet), "w3"), "cancelled");
        vm.assertEq(token.balanceOf(BOB), 80, "paid twice");
        a.nonce = "w4";
        signature = packed(ALICE_KEY, transferHash(a));
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, signature);
        // A contract without isValidSignature signs nothing.
        a.from = address(this);
        vm.expectRevert(BAD_SIGNATURE);
        submitTransfer(a, signature);
    }
}
